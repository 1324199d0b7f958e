import type { CommandContext } from '../../author/context.ts'
import type { Defined } from '../../author/definition.ts'
import { definedAs } from '../../author/marks.ts'
import type { Definition, Entry } from '../../author/entries.ts'
import { servicesOf } from '../services.ts'
import { helpIn } from './help-text.ts'

export const helpWord = 'help'

/** The place of the built-in `/help`: a file there takes it. */
export const helpEntry: Entry = { kind: 'command', name: helpWord, file: 'commands/help.ts' }

/** Whether a bot has a command, a folder or an alias of that name itself. */
export const hasHelp = (definitions: readonly Definition[]): boolean =>
  definitions.some(
    ({ kind, name, aliases }) =>
      kind === 'command' &&
      (name === helpWord || name.startsWith(`${helpWord} `) || (!name.includes(' ') && aliases?.includes(helpWord))),
  )

/** `/help` and `/help NAME`, made from the declarations. */
export const helpCommand: Defined = {
  [definedAs]: 'command',
  run: async (ctx: CommandContext) => {
    const { texts } = servicesOf(ctx)
    const language = await texts.languageOf(ctx)
    return helpIn((words) => texts.in(language, words), ctx.commands, { prefix: ctx.prefix, topic: ctx.typed })
  },
}
