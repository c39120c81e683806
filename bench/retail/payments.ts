/** Ways to pay, and what gift cards hold after money went to and fro. */
import { cents, Refusal, type Payment, type PaymentMethod, type User } from "./records.ts";

export function requirePaymentMethod(user: User, id: string): PaymentMethod {
  const found = Object.hasOwn(user.payment_methods, id) ? user.payment_methods[id] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(user.payment_methods).join(", ");
  throw new Refusal(`User ${user.user_id} has no payment method ${JSON.stringify(id)}, but ${known}.`);
}

/** Only a gift card can hold too little. */
export function requireBalance({ id, source, balance = 0 }: PaymentMethod, amount: number): void {
  if (source === "gift_card" && balance < amount) {
    throw new Refusal(`Gift card ${id} holds ${balance}, and ${amount} is needed.`);
  }
}

/** The user, with what the payments put on gift cards and took from them. */
export function settle(user: User, payments: readonly Payment[]): User {
  const methods: Record<string, PaymentMethod> = { ...user.payment_methods };
  for (const { transaction_type: type, amount, payment_method_id: id } of payments) {
    const method = methods[id];
    if (method?.source !== "gift_card") continue;
    const sign = type === "refund" ? 1 : -1;
    methods[id] = { ...method, balance: cents((method.balance ?? 0) + sign * amount) };
  }
  return { ...user, payment_methods: methods };
}

/** A difference in price as a payment, or as a refund where it is below zero. */
export function paymentOf(difference: number, methodId: string): Payment {
  return {
    transaction_type: difference > 0 ? "payment" : "refund",
    amount: Math.abs(difference),
    payment_method_id: methodId,
  };
}
