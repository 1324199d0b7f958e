/**
 * Whether a package that requires this range of the framework works with a version of it. Compares only the numbers that change with the
 * interface: `1` of 1.4.2, and `0.3` of 0.3.1. True for ranges that name no version, such as `workspace:*`.
 */
export function allowsMajor(range: string, version: string): boolean {
  return range.split('||').some((part) => boundsOf(part).every((bound) => allows(bound, version)))
}

interface Bound {
  operator: string
  version: string
}

/** `>=1 <3` as its two bounds; other words, such as `*` or a tag, are none. */
function boundsOf(part: string): Bound[] {
  const bounds: Bound[] = []
  let operator = ''
  for (const word of part.trim().split(/\s+/)) {
    const version = word.replace(/^[<>=^~]{1,2}/, '')
    operator += word.slice(0, word.length - version.length)
    if (version === '-') {
      // `1.0 - 2.9`
      bounds.at(-1)!.operator = '>='
      operator = '<='
    } else if (version !== '') {
      if (/^v?\d/.test(version)) bounds.push({ operator, version: version.replace('v', '') })
      operator = ''
    }
  }
  return bounds
}

function allows({ operator, version }: Bound, own: string): boolean {
  const [ownMajor = 0, ownMinor = 0] = numbers(own)
  const [major = 0, minor = 0, patch = 0] = numbers(version)
  const isMinorMajor = ownMajor === 0 && /^\d+\.\d/.test(version)
  const difference = ownMajor - major || (isMinorMajor ? ownMinor - minor : 0)
  if (operator.startsWith('>')) return difference >= 0
  // `<2.0.0` excludes all of 2.
  if (operator === '<') return difference < 0 || (difference === 0 && (patch > 0 || (major > 0 && minor > 0)))
  return operator === '<=' ? difference <= 0 : difference === 0
}

const numbers = (version: string): number[] => version.split(/[.-]/).map((one) => Number.parseInt(one) || 0)
