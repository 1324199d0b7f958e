import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How people create a bot at present. Set `published` once the packages are on the npm registry, and run scripts/first-command.mjs. */
export interface FirstCommand {
  published: boolean
  registry: string
  checkout: string
  /** Explains the command of a checkout. */
  note: string
}

/** The switch that the home page, the README and the guides follow. */
export const firstCommand = JSON.parse(
  readFileSync(new URL('../../first-command.json', import.meta.url), 'utf8'),
) as FirstCommand

/** A page with the command that works at present. npm takes the options of `npm create` after `--`. */
export function withFirstCommand(text: string, { published, note, ...one }: FirstCommand = firstCommand): string {
  const [now, other] = published ? [one.registry, one.checkout] : [one.checkout, one.registry]
  const dashes = (wanted: boolean) => (wanted ? ' --' : '')
  const former = new RegExp(`(?<!\\w)${other}( [\\w@./-]+)?(?:${dashes(!published)}( -[^\`\\n]+))?`, 'g')
  const replaced = text.replaceAll(
    former,
    (_, name = '', options?: string) => now + name + (options === undefined ? '' : dashes(published) + options),
  )
  return published ? replaced.replaceAll(`${note}\n\n`, '') : replaced
}

/** The files whose readers create a bot: the READMEs, and all pages. */
export function pagesWithCommands(root: string): string[] {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'docs'))
  const pages = folders.flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name))
    } catch {
      return []
    }
  })
  return [join(root, 'README.md'), join(root, 'create-bot/README.md'), ...pages]
}
