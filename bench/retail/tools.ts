/** The tools of the shop: what a client is told of each, and what it does. */
import {
  CANCEL_REASONS,
  cancelOrder,
  changeUserAddress,
  exchangeItems,
  modifyAddress,
  modifyItems,
  modifyPayment,
  returnItems,
  type Done,
} from "./actions.ts";
import { calculate } from "./calculate.ts";
import { findItem, findUserByEmail, findUserByNameZip, listProducts } from "./lookups.ts";
import { Refusal } from "./records.ts";
import type { Shop } from "./shop.ts";

interface Property {
  readonly type: "string" | "array";
  readonly description: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: "string" };
}

type Properties = Readonly<Record<string, Property>>;

/** Of a schema without optional arguments, and after a check of what came. */
type ArgsOf<P extends Properties> = {
  readonly [K in keyof P]: P[K]["type"] extends "array" ? string[] : string;
};

export interface RetailTool {
  readonly description: string;
  readonly properties: Properties;
  readonly readOnly: boolean;
  /** A read gives an answer without changes. */
  readonly run: (shop: Shop, args: Readonly<Record<string, unknown>>) => Done;
}

const text = (description: string) => ({ type: "string", description }) as const;
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description }) as const;

function read<P extends Properties>(
  description: string,
  properties: P,
  run: (shop: Shop, args: ArgsOf<P>) => unknown,
): RetailTool {
  return {
    description,
    properties,
    readOnly: true,
    run: (shop, args) => ({ answer: run(shop, checked(properties, args)), changes: {} }),
  };
}

function write<P extends Properties>(
  description: string,
  properties: P,
  run: (shop: Shop, args: ArgsOf<P>) => Done,
): RetailTool {
  return {
    description,
    properties,
    readOnly: false,
    run: (shop, args) => run(shop, checked(properties, args)),
  };
}

function checked<P extends Properties>(properties: P, args: Readonly<Record<string, unknown>>): ArgsOf<P> {
  for (const [name, { type, enum: allowed }] of Object.entries(properties)) {
    const value = args[name];
    const fits =
      type === "string"
        ? typeof value === "string"
        : Array.isArray(value) && value.every((part) => typeof part === "string");
    if (!fits) throw new Refusal(`${name} must be ${type === "string" ? "a text" : "a list of texts"}.`);
    if (allowed?.includes(String(value)) === false)
      throw new Refusal(`${name} is one of: ${allowed.join(", ")}.`);
  }
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) throw new Refusal(`${unknown} is not an argument of this tool.`);
  return args as ArgsOf<P>;
}

const ORDER = { order_id: text("The order, with its number sign: #W0000000.") };
const USER = { user_id: text("The user, such as sara_doe_496.") };
const METHOD = { payment_method_id: text("One of the user's payment methods, such as gift_card_0000000.") };
const ITEMS = { item_ids: texts("The items of the order; one that is there twice may be named twice.") };
const NEW_ITEMS = { new_item_ids: texts("For each of item_ids, in the same order, the item in its place.") };
const ADDRESS = {
  address1: text("Street and number."),
  address2: text("Suite, apartment and the like; may be empty."),
  city: text("City."),
  state: text("State, by its two letters."),
  country: text("Country."),
  zip: text("Zip code."),
};

export const TOOLS: Readonly<Record<string, RetailTool>> = {
  find_user_id_by_email: read("Finds a user's id by email.", { email: text("The email.") }, findUserByEmail),
  find_user_id_by_name_zip: read(
    "Finds a user's id by first name, last name and zip code.",
    {
      first_name: text("First name."),
      last_name: text("Last name."),
      zip: text("Zip code of the default address."),
    },
    findUserByNameZip,
  ),
  get_user_details: read(
    "Gives a user's profile: name, email, default address, payment methods, orders.",
    USER,
    (shop, { user_id: id }) => shop.requireUser(id),
  ),
  get_order_details: read(
    "Gives an order: its items, status, address, deliveries and payments.",
    ORDER,
    (shop, { order_id: id }) => shop.requireOrder(id),
  ),
  get_product_details: read(
    "Gives a product with all its variants: options, price, whether it is available.",
    { product_id: text("The product, which is not the id of an item.") },
    (shop, { product_id: id }) => shop.requireProduct(id),
  ),
  get_item_details: read(
    "Gives one variant of a product: options, price, whether it is available.",
    { item_id: text("The item, which is not the id of a product.") },
    findItem,
  ),
  list_all_product_types: read("Lists the names of all products with their ids.", {}, (shop) =>
    listProducts(shop),
  ),
  calculate: read(
    "Calculates with numbers, + - * / and parentheses; the result is rounded to cents.",
    { expression: text("Such as (12.5 + 3) * 2.") },
    (_shop, { expression }) => calculate(expression),
  ),
  cancel_pending_order: write(
    "Cancels an order that is pending and refunds its payments. The user must have agreed.",
    { ...ORDER, reason: { ...text("Why."), enum: CANCEL_REASONS } },
    cancelOrder,
  ),
  modify_pending_order_address: write(
    "Changes where a pending order goes. The user must have agreed.",
    { ...ORDER, ...ADDRESS },
    modifyAddress,
  ),
  modify_pending_order_payment: write(
    "Has a pending order paid by another payment method and refunds the first. The user must have agreed.",
    { ...ORDER, ...METHOD },
    modifyPayment,
  ),
  modify_pending_order_items: write(
    "Changes items of a pending order to other variants of the same products, once for an order; it cannot be changed or " +
      "cancelled any more. The user must have agreed.",
    { ...ORDER, ...ITEMS, ...NEW_ITEMS, ...METHOD },
    modifyItems,
  ),
  modify_user_address: write(
    "Changes a user's default address. The user must have agreed.",
    { ...USER, ...ADDRESS },
    changeUserAddress,
  ),
  return_delivered_order_items: write(
    "Asks for items of a delivered order to be returned; the refund goes to the first payment method or a gift card. The " +
      "user must have agreed.",
    { ...ORDER, ...ITEMS, ...METHOD },
    returnItems,
  ),
  exchange_delivered_order_items: write(
    "Asks for items of a delivered order to be exchanged for other variants of the same products, once for an order. The " +
      "user must have agreed.",
    { ...ORDER, ...ITEMS, ...NEW_ITEMS, ...METHOD },
    exchangeItems,
  ),
  transfer_to_human_agents: write(
    "Hands the user over to a person, where no other tool can help.",
    { summary: text("What the user wants, in short.") },
    () => ({ answer: "Transferred.", changes: {} }),
  ),
};

/** As `tools/list` answers. */
export const DEFINITIONS = Object.entries(TOOLS).map(([name, { description, properties, readOnly }]) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
  annotations: readOnly
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
}));
