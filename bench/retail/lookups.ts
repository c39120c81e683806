/** What can be asked of a shop without changing it. */
import { Refusal, type Product, type Variant } from "./records.ts";
import type { Shop } from "./shop.ts";

export function findUserByEmail(shop: Shop, { email }: { readonly email: string }): string {
  const found = shop.users().find((user) => user.email.toLowerCase() === email.toLowerCase());
  if (found === undefined) throw new Refusal(`There is no user with the email ${JSON.stringify(email)}.`);
  return found.user_id;
}

interface NameZip {
  readonly first_name: string;
  readonly last_name: string;
  readonly zip: string;
}

export function findUserByNameZip(shop: Shop, { first_name: first, last_name: last, zip }: NameZip): string {
  const asked = `${first} ${last}`.toLowerCase();
  const found = shop
    .users()
    .find(
      ({ name, address }) =>
        `${name.first_name} ${name.last_name}`.toLowerCase() === asked && address.zip === zip,
    );
  if (found === undefined) throw new Refusal(`There is no user ${first} ${last} with the zip code ${zip}.`);
  return found.user_id;
}

/** Each product's id by its name. */
export function listProducts(shop: Shop): Record<string, string> {
  const named = Object.values(shop.products).map(({ name, product_id: id }): [string, string] => [name, id]);
  return Object.fromEntries(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function findItem(
  shop: Shop,
  { item_id: id }: { readonly item_id: string },
): Variant & Pick<Product, "name"> {
  const product = Object.values(shop.products).find(({ variants }) => Object.hasOwn(variants, id));
  if (product === undefined) throw new Refusal(`There is no item ${JSON.stringify(id)}.`);
  return { name: product.name, ...product.variants[id]! };
}
