import { posix } from 'node:path'

const LINK = /\]\((?<target>[^)\s]+)\)/g
const CODE = /^[ \t]*```[^]*?^[ \t]*```[ \t]*$|`[^`\n]+`/gm

/** A link of the repository without a target on the site. */
export interface LostLink {
  from: string
  target: string
}

/**
 * Turns the links in the text of `from` to files of the repository into links to pages of the site. `places` maps a
 * file or folder to its page. Code is unchanged.
 */
export function siteLinks(
  text: string,
  from: string,
  places: ReadonlyMap<string, string>,
): { text: string; lost: LostLink[] } {
  const lost: LostLink[] = []
  // Blanks out code and keeps the position of every other character: the text of a link may be code.
  const prose = text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '))
  let done = 0
  let result = ''
  for (const { groups, index } of prose.matchAll(LINK)) {
    const { target = '' } = groups ?? {}
    if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target)) continue
    const { path = '', anchor = '' } = /^(?<path>[^#]*)(?<anchor>#.*)?$/.exec(target)?.groups ?? {}
    const page = places.get(posix.join(posix.dirname(from), path).replace(/\/$/, ''))
    if (page === undefined) lost.push({ from, target })
    const start = index + ']('.length
    result += text.slice(done, start) + (page === undefined ? target : page + anchor)
    done = start + target.length
  }
  return { text: result + text.slice(done), lost }
}
