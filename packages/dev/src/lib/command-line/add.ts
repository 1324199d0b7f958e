import { Argument, Option } from 'commander'
import { didYouMean, type CommandEntry } from '@botwright/framework/start'
import { addKinds, type AddKind } from '../add/templates.ts'

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .addArgument(
      new Argument('<kind>', addKinds.join(', ')).argParser((text: string) =>
        readKind(text, (message) => command.error(message)),
      ),
    )
    .argument(
      '[name...]',
      'such as role/add, poll/vote, member_join, daily, github, status.get, score or db. Optional for a middleware: without a name, it creates middleware.ts, which wraps every handler of the bot; with a folder such as commands/admin, it creates commands/admin/middleware.ts',
    )
    .addOption(new Option('--params', 'add parameters (only for a button)').default(false))
    .action(async (kind: AddKind, words: string[], { params }: { params: boolean }) => {
      if (words.length === 0 && kind !== 'middleware')
        command.error(`error: pass a name for the ${kind}: framework add ${kind} ${sampleNames[kind]}`)
      if (params && kind !== 'button') command.error(`error: --params works only with buttons, not with ${kind}`)
      const { runAdd } = await import('../add/add-command.ts')
      done(await runAdd({ io, kind, name: words.join('/'), params }))
    })
}

const sampleNames: Readonly<Record<AddKind, string>> = {
  command: 'role/add',
  button: 'poll/vote',
  pages: 'scores',
  event: 'member_join',
  task: 'daily',
  route: 'github',
  state: 'score',
  resource: 'db',
  middleware: 'commands',
}

/** Things that are added in another way. */
const elsewhere: Readonly<Record<string, string>> = {
  locale: 'Write texts into locales/en.json (@botwright/languages). To add a handler, run',
  plugin: 'A plugin is a separate package; add handlers to it as you do to a bot',
}

function readKind(text: string, refuse: (message: string) => never): AddKind {
  const kind = addKinds.find((one) => one === text || `${one}s` === text)
  if (kind) return kind
  const near = didYouMean(text, addKinds)
  const sample = near ?? 'command'
  const hint = near ? `; did you mean ${near}?` : '.'
  return refuse(
    `error: cannot add "${text}"${hint} ${elsewhere[text] ?? `The kinds are ${addKinds.join(', ')}`}: framework add ${sample} ${sampleNames[sample as AddKind]}`,
  )
}
