import { posix } from 'node:path'

const LINK = /(?<before>!?\[(?:[^\]\\]|\\.)*\]\()(?<target>[^)\s]+)(?<after>\))/g
const CODE = /^[ \t]*```[^]*?^[ \t]*```[ \t]*$|`[^`\n]+`/gm

/** A link of the repository that leads to nothing on the site. */
export interface LostLink {
  from: string
  target: string
}

/**
 * The text of `from` with its links to files of the repository turned into links to pages of the site. `places` tells the page of a
 * file or folder. Code stays as it is.
 */
export function siteLinks(
  text: string,
  from: string,
  places: ReadonlyMap<string, string>,
): { text: string; lost: LostLink[] } {
  const lost: LostLink[] = []
  const linked = (prose: string) =>
    prose.replaceAll(LINK, (whole, before: string, target: string, after: string) => {
      if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target)) return whole
      const { path = '', anchor = '' } = /^(?<path>[^#]*)(?<anchor>#.*)?$/.exec(target)?.groups ?? {}
      const file = posix.join(posix.dirname(from), path).replace(/\/$/, '')
      const page = places.get(file)
      if (page === undefined) lost.push({ from, target })
      return `${before}${page ?? target}${anchor}${after}`
    })
  let done = 0
  let result = ''
  for (const { 0: code, index } of text.matchAll(CODE)) {
    result += linked(text.slice(done, index)) + code
    done = index + code.length
  }
  return { text: result + linked(text.slice(done)), lost }
}
