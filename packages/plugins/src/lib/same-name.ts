/** Whether two names look the same: in either Unicode form of their letters, with or without the variation selectors of emoji. */
export const sameName = (a: string, b: string): boolean => look(a) === look(b)

const look = (name: string): string => name.replaceAll(/[\uFE0E\uFE0F]/g, '').normalize('NFC')
