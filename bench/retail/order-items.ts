/** Items of an order that are to go or to be others, checked against the order and what the shop has. */
import { cents, Refusal, type Order, type OrderItem, type Variant } from "./records.ts";
import type { Shop } from "./shop.ts";

export interface ItemSwap {
  /** Where in the order. */
  readonly at: number;
  readonly item: OrderItem;
  readonly variant: Variant;
}

/** The places of the items in the order, each once: an id that is asked for twice must be there twice. */
export function requireItems(order: Order, itemIds: readonly string[]): number[] {
  if (itemIds.length === 0) throw new Refusal("item_ids is empty: name at least one item of the order.");
  const taken = new Set<number>();
  return itemIds.map((id) => {
    const at = order.items.findIndex((item, place) => item.item_id === id && !taken.has(place));
    if (at === -1)
      throw new Refusal(`Order ${order.order_id} has no item ${id}, or not as many as are named.`);
    taken.add(at);
    return at;
  });
}

/** Each item with the one that takes its place: another, available one of the same product. */
export function requireSwaps(
  shop: Shop,
  order: Order,
  itemIds: readonly string[],
  newItemIds: readonly string[],
): ItemSwap[] {
  if (itemIds.length !== newItemIds.length) {
    throw new Refusal(
      `There are ${itemIds.length} item_ids and ${newItemIds.length} new_item_ids: name as many.`,
    );
  }
  return requireItems(order, itemIds).map((at, index) => {
    const item = order.items[at]!;
    return { at, item, variant: requireVariant(shop, item, newItemIds[index]!) };
  });
}

function requireVariant(shop: Shop, item: OrderItem, newItemId: string): Variant {
  if (newItemId === item.item_id)
    throw new Refusal(`Item ${newItemId} would take its own place: choose another.`);
  const product = shop.requireProduct(item.product_id);
  const variant = Object.hasOwn(product.variants, newItemId) ? product.variants[newItemId] : undefined;
  if (variant === undefined)
    throw new Refusal(`Item ${newItemId} is not a ${product.name}, as ${item.item_id} is.`);
  if (!variant.available) throw new Refusal(`Item ${newItemId} is not available.`);
  return variant;
}

/** What is to be paid for the new items on top of the old ones; below zero, it is to be given back. */
export function priceDifference(swaps: readonly ItemSwap[]): number {
  return cents(swaps.reduce((sum, { item, variant }) => sum + variant.price - item.price, 0));
}
