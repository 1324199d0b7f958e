import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isEditorLink, type Timeline } from '@botwright/protocol/timeline'

/** The address that opens a line in VS Code. */
const DEFAULT_LINK = 'vscode://file{file}:{line}'

/**
 * Adds the addresses that open lines of code in an editor: those of files that are in `root`. `template`: the value of `BOT_EDITOR_LINK`,
 * such as `idea://open?file={file}&line={line}`; an empty one, or one that no editor opens, adds none.
 */
export function withLinks<T extends Pick<Timeline, 'steps' | 'failure'>>(
  timeline: T,
  root: string,
  template = DEFAULT_LINK,
): T {
  if (!isEditorLink(template)) return timeline
  const folder = resolve(root)
  const known = new Map<string, string | undefined>()
  const linkOf = (at: string): string | undefined => {
    if (!known.has(at)) known.set(at, linkTo(at, folder, template))
    return known.get(at)
  }
  const linked = <T extends { at?: string; link?: string }>(one: T): T => {
    const link = one.at === undefined ? undefined : linkOf(one.at)
    return link === undefined ? one : { ...one, link }
  }
  const { failure } = timeline
  return { ...timeline, steps: timeline.steps.map(linked), ...(failure && { failure: linked(failure) }) }
}

function linkTo(at: string, folder: string, template: string): string | undefined {
  const [, file = '', line = '1'] = /^(.+?)(?::(\d+))?$/.exec(at) ?? []
  // A recording may come from somewhere else.
  if (file === '' || file.split(/[\\/]/).includes('..')) return undefined
  const path = join(folder, file)
  if (!existsSync(path)) return undefined
  const url = encodeURI(path.replaceAll('\\', '/')).replaceAll(/[?#]/g, encodeURIComponent)
  return template.replaceAll('{file}', () => (url.startsWith('/') ? url : `/${url}`)).replaceAll('{line}', line)
}
