/**
 * A value of which a thread has one, however many copies of this package it has loaded: `framework start` runs from a file of its own,
 * beside the one that a bot's configuration imports.
 */
export function threadWide<T>(name: string, make: () => T): T {
  const values = globalThis as unknown as Record<symbol, T | undefined>
  return (values[Symbol.for(`botwright.${name}`)] ??= make())
}
