/** What can be done to orders and users: each action gives what it touched as it is afterwards, or refuses. */
import { priceDifference, requireItems, requireSwaps } from "./order-items.ts";
import { paymentOf, requireBalance, requirePaymentMethod, settle } from "./payments.ts";
import { Refusal, type Address, type Changes, type Order, type Payment } from "./records.ts";
import type { Shop } from "./shop.ts";

export interface Done {
  readonly answer: unknown;
  readonly changes: Changes;
}

export interface OrderArgs {
  readonly order_id: string;
}
interface MethodArgs extends OrderArgs {
  readonly payment_method_id: string;
}
export interface ReturnArgs extends MethodArgs {
  readonly item_ids: readonly string[];
}
export interface SwapArgs extends ReturnArgs {
  readonly new_item_ids: readonly string[];
}

export const CANCEL_REASONS = ["no longer needed", "ordered by mistake"] as const;

/** As the policy writes it. From then on the order is not pending for any other action. */
const ITEMS_MODIFIED = "pending (items modifed)";

export function cancelOrder(
  shop: Shop,
  { order_id: id, reason }: OrderArgs & { readonly reason: string },
): Done {
  const order = requireStatus(shop, id, "pending");
  const refunds = order.payment_history.map((payment): Payment => ({
    ...payment,
    transaction_type: "refund",
  }));
  return paidOrder(shop, { ...order, status: "cancelled", cancel_reason: reason }, refunds);
}

export function modifyAddress(shop: Shop, { order_id: id, ...address }: OrderArgs & Address): Done {
  const order = requireStatus(shop, id, "pending");
  return paidOrder(shop, { ...order, address: addressOf(address) }, []);
}

export function modifyPayment(shop: Shop, { order_id: id, payment_method_id: methodId }: MethodArgs): Done {
  const order = requireStatus(shop, id, "pending");
  const method = requirePaymentMethod(shop.requireUser(order.user_id), methodId);
  const [paid, ...others] = order.payment_history;
  if (paid === undefined || others.length > 0 || paid.transaction_type !== "payment") {
    throw new Refusal(`Order ${id} was not paid in one payment, so its payment method stays.`);
  }
  if (paid.payment_method_id === methodId) throw new Refusal(`Order ${id} is paid by ${methodId} already.`);
  requireBalance(method, paid.amount);
  return paidOrder(shop, order, [
    { ...paid, payment_method_id: methodId },
    { ...paid, transaction_type: "refund" },
  ]);
}

export function modifyItems(shop: Shop, args: SwapArgs): Done {
  const order = requireStatus(shop, args.order_id, "pending");
  const swaps = requireSwaps(shop, order, args.item_ids, args.new_item_ids);
  const difference = requireDifference(shop, order, args, priceDifference(swaps));
  const items = order.items.map((item, at) => {
    const swap = swaps.find((one) => one.at === at);
    if (swap === undefined) return item;
    const { item_id, price, options } = swap.variant;
    return { ...item, item_id, price, options };
  });
  const payments = difference === 0 ? [] : [paymentOf(difference, args.payment_method_id)];
  return paidOrder(shop, { ...order, items, status: ITEMS_MODIFIED }, payments);
}

/** The money moves when the items have come back. */
export function exchangeItems(shop: Shop, args: SwapArgs): Done {
  const order = requireStatus(shop, args.order_id, "delivered");
  const swaps = requireSwaps(shop, order, args.item_ids, args.new_item_ids);
  const difference = requireDifference(shop, order, args, priceDifference(swaps));
  return paidOrder(
    shop,
    {
      ...order,
      status: "exchange requested",
      exchange_items: args.item_ids.toSorted(),
      exchange_new_items: args.new_item_ids.toSorted(),
      exchange_payment_method_id: args.payment_method_id,
      exchange_price_difference: difference,
    },
    [],
  );
}

export function returnItems(
  shop: Shop,
  { order_id: id, item_ids: itemIds, payment_method_id }: ReturnArgs,
): Done {
  const order = requireStatus(shop, id, "delivered");
  const method = requirePaymentMethod(shop.requireUser(order.user_id), payment_method_id);
  const isOriginal = order.payment_history.some((payment) => payment.payment_method_id === method.id);
  if (!isOriginal && method.source !== "gift_card") {
    throw new Refusal(`Order ${id} was not paid by ${method.id}: a refund goes there, or to a gift card.`);
  }
  requireItems(order, itemIds);
  const asked = { return_items: itemIds.toSorted(), return_payment_method_id: payment_method_id };
  return paidOrder(shop, { ...order, status: "return requested", ...asked }, []);
}

/** The user's default address; orders keep theirs. */
export function changeUserAddress(
  shop: Shop,
  { user_id: id, ...address }: { readonly user_id: string } & Address,
): Done {
  const user = { ...shop.requireUser(id), address: addressOf(address) };
  return { answer: user, changes: { users: { [id]: user } } };
}

/** The fields of an address, without what else came with it. */
function addressOf({ address1, address2, city, state, country, zip }: Address): Address {
  return { address1, address2, city, country, state, zip };
}

function requireStatus(shop: Shop, id: string, status: string): Order {
  const order = shop.requireOrder(id);
  if (order.status !== status)
    throw new Refusal(`Order ${id} is ${order.status}; only one that is ${status} will do.`);
  return order;
}

/** The same difference, when the way to pay is there and holds it. */
function requireDifference(
  shop: Shop,
  order: Order,
  { payment_method_id: id }: MethodArgs,
  amount: number,
): number {
  requireBalance(requirePaymentMethod(shop.requireUser(order.user_id), id), amount);
  return amount;
}

/** The order with payments added to its history, and the user's gift cards after them. */
function paidOrder(shop: Shop, order: Order, payments: readonly Payment[]): Done {
  const after = { ...order, payment_history: [...order.payment_history, ...payments] };
  const user = shop.requireUser(order.user_id);
  const orders = { [order.order_id]: after };
  if (payments.length === 0) return { answer: after, changes: { orders } };
  return { answer: after, changes: { orders, users: { [user.user_id]: settle(user, payments) } } };
}
