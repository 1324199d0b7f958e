/** The darkest surface behind names in the light scheme, and the lightest one in the dark scheme. */
const surfaces = { light: '#ececf0', dark: '#2a2b31' } as const
/** The contrast of normal text (WCAG 2.2, 1.4.3). */
const enough = 4.5
const step = 0.02

type Rgb = readonly [red: number, green: number, blue: number]

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb

/** Relative luminance, as WCAG defines it. */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colors in hexadecimal notation, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** A role's color, as near to the chosen one as is readable in this scheme. */
export function readable(color: string, scheme: 'light' | 'dark'): string {
  const towards = scheme === 'light' ? 0 : 255
  const rgb = parse(color)
  for (let share = 0; share < 1; share += step) {
    const mixed = rgb.map((value) => Math.round(value + (towards - value) * share))
    const hex = `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    if (contrast(hex, surfaces[scheme]) >= enough) return hex
  }
  return scheme === 'light' ? '#000000' : '#ffffff'
}
