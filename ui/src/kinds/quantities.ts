/** Amounts as Kubernetes writes them. Pure. */
const FACTORS: Record<string, number> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(n|u|m|k|[KMGTPE]i|[MGTPE])?$/;

/** `1500m`, `64Gi` in cores, bytes or devices; undefined for what is no amount. */
export function quantityOf(text: string | number | undefined): number | undefined {
  const found = QUANTITY.exec(String(text ?? "").trim());
  if (found === null) return undefined;
  return Number(found[1]) * (FACTORS[found[2] ?? ""] ?? Number.NaN);
}

/** Cores: `0.25`, `1.5`, `12`. */
export const coresText = (cores: number): string => String(Number(cores.toFixed(cores < 1 ? 2 : 1)));

const BYTES = /^(?:requests\.|limits\.)?(?:memory|storage|ephemeral-storage|hugepages|disk)/;

/** An amount of a resource as the server writes one: `2398.45`, `22.4Gi`. */
export function amountText(resource: string, value: number): string {
  if (!BYTES.test(resource)) return String(Number(value.toFixed(3)));
  const power = Math.min(5, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10)));
  const scaled = value / 2 ** (10 * power);
  return `${Math.abs(scaled) >= 100 || Number.isInteger(scaled) ? scaled.toFixed(0) : scaled.toFixed(1)}${["", "Ki", "Mi", "Gi", "Ti", "Pi"][power] ?? ""}`;
}
