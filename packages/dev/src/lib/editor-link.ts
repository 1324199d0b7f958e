import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Timeline } from '@botwright/protocol/timeline'
import { pathBelow, slashed } from './path-below.ts'

/** Opens a file in VS Code. `BOT_EDITOR_URL` replaces it; empty, there are no links. */
const DEFAULT_EDITOR_URL = 'vscode://file/{file}:{line}'

/** Creates the addresses that open a line of a bot's code, `commands/ping.ts:12`, in an editor; undefined without such a file. */
export function editorLinks(
  root: string,
  editorUrl = process.env['BOT_EDITOR_URL'],
): (at: string) => string | undefined {
  const pattern = editorUrl?.trim() ?? DEFAULT_EDITOR_URL
  return (at) => {
    const [, file = '', line = '1'] = /^(.{1,500}?)(?::(\d{1,7}))?(?::\d{1,7})?$/.exec(at) ?? []
    const path = resolve(root, file)
    if (pattern === '' || file === '' || pathBelow(root, path) === undefined || !existsSync(path)) return undefined
    // A path of Windows has no leading slash; one of other systems must not have two.
    const address = encodeURI(slashed(path))
      .replace(/^\//, '')
      .replace(/[?#&+]/g, encodeURIComponent)
    return pattern.replaceAll('{file}', address).replaceAll('{line}', line)
  }
}

/** A timeline with the addresses that open its lines in an editor. */
export function withLinks(timeline: Timeline, linkOf: (at: string) => string | undefined): Timeline {
  const linked = <T extends { at?: string }>(one: T): T => {
    const link = one.at === undefined ? undefined : linkOf(one.at)
    return link === undefined ? one : { ...one, link }
  }
  return {
    ...timeline,
    steps: timeline.steps.map(linked),
    ...(timeline.failure && { failure: linked(timeline.failure) }),
  }
}
