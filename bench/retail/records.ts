/** The records of a shop, as they lie in `db.json`. */

export interface Address {
  readonly address1: string;
  readonly address2: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
  readonly zip: string;
}

export interface PaymentMethod {
  readonly id: string;
  readonly source: "credit_card" | "gift_card" | "paypal";
  /** Of a gift card. */
  readonly balance?: number;
}

export interface User {
  readonly user_id: string;
  readonly name: { readonly first_name: string; readonly last_name: string };
  readonly address: Address;
  readonly email: string;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
  readonly orders: readonly string[];
}

export interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

export interface Product {
  readonly name: string;
  readonly product_id: string;
  readonly variants: Readonly<Record<string, Variant>>;
}

export interface OrderItem {
  readonly name: string;
  readonly product_id: string;
  readonly item_id: string;
  readonly price: number;
  readonly options: Readonly<Record<string, string>>;
}

export interface Payment {
  readonly transaction_type: "payment" | "refund";
  readonly amount: number;
  readonly payment_method_id: string;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  readonly address: Address;
  readonly items: readonly OrderItem[];
  readonly status: string;
  readonly fulfillments: readonly object[];
  readonly payment_history: readonly Payment[];
  readonly cancel_reason?: string;
  readonly return_items?: readonly string[];
  readonly return_payment_method_id?: string;
  readonly exchange_items?: readonly string[];
  readonly exchange_new_items?: readonly string[];
  readonly exchange_payment_method_id?: string;
  readonly exchange_price_difference?: number;
}

export interface Database {
  readonly products: Readonly<Record<string, Product>>;
  readonly users: Readonly<Record<string, User>>;
  readonly orders: Readonly<Record<string, Order>>;
}

/** What an action changes: the whole of each record that is different after it. */
export interface Changes {
  readonly users?: Readonly<Record<string, User>>;
  readonly orders?: Readonly<Record<string, Order>>;
}

/** What the shop does not do, in words for the one who asked; the server answers it as an error of the tool. */
export class Refusal extends Error {}

/** Money, without what adding fractions leaves behind. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
