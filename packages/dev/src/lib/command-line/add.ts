import { Argument, Option } from 'commander'
import { didYouMean, type CommandEntry } from '@botwright/framework/start'
import { addKinds, type AddKind } from '../add/templates.ts'
import { readOptions } from './readers.ts'

/** A file of one of these kinds, or a plugin. */
type Kind = AddKind | 'plugin'
const kinds: readonly Kind[] = [...addKinds, 'plugin']

interface Given {
  params: boolean
  options?: Readonly<Record<string, unknown>>
  dry: boolean
}

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .addArgument(
      new Argument('<kind>', kinds.join(', ')).argParser((text: string) =>
        readKind(text, (message) => command.error(message)),
      ),
    )
    .argument(
      '[name...]',
      'such as role/add, poll/vote, member_join, daily, github, status.get, score or db. Optional for a middleware: without a name, it creates middleware.ts, which wraps every handler of the bot; with a folder such as commands/admin, it creates commands/admin/middleware.ts. For a plugin: its package, folder or tarball; in a package with several, followed by the name of one',
    )
    .addOption(new Option('--params', 'add parameters (only for a button)').default(false))
    .addOption(new Option('--options <json>', 'options of the plugin (only for a plugin)').argParser(readOptions))
    .addOption(new Option('--dry', 'print the steps and change nothing (only for a plugin)').default(false))
    .action(async (kind: Kind, words: string[], { params, options, dry }: Given) => {
      if (words.length === 0 && kind !== 'middleware')
        command.error(`error: pass a name for the ${kind}: framework add ${kind} ${sampleNames[kind]}`)
      if (params && kind !== 'button') command.error(`error: --params works only with buttons, not with ${kind}`)
      if (kind === 'plugin') {
        if (words.length > 2) command.error('error: pass one plugin: framework add plugin @botwright/plugins polls')
        const { runAddPlugin } = await import('../add/plugin/add-plugin.ts')
        return done(await runAddPlugin({ io, words, options, dry }))
      }
      const extra = options !== undefined ? '--options' : dry ? '--dry' : undefined
      if (extra !== undefined) command.error(`error: ${extra} works only with plugins, not with ${kind}`)
      const { runAdd } = await import('../add/add-command.ts')
      done(await runAdd({ io, kind, name: words.join('/'), params }))
    })
}

const sampleNames: Readonly<Record<Kind, string>> = {
  command: 'role/add',
  button: 'poll/vote',
  pages: 'scores',
  event: 'member_join',
  task: 'daily',
  route: 'github',
  state: 'score',
  resource: 'db',
  middleware: 'commands',
  plugin: '@botwright/plugins polls',
}

/** Things that are added in another way. */
const elsewhere: Readonly<Record<string, string>> = {
  locale: 'Write texts into locales/en.json (@botwright/languages). To add a handler, run',
}

function readKind(text: string, refuse: (message: string) => never): Kind {
  const kind = kinds.find((one) => one === text || `${one}s` === text)
  if (kind) return kind
  const near = didYouMean(text, kinds)
  const sample = near ?? 'command'
  const hint = near ? `; did you mean ${near}?` : '.'
  return refuse(
    `error: cannot add "${text}"${hint} ${elsewhere[text] ?? `The kinds are ${kinds.join(', ')}`}: framework add ${sample} ${sampleNames[sample as Kind]}`,
  )
}
