import { didYouMean } from '@botwright/protocol/did-you-mean'
import { commandsHere } from './completion.ts'

/** A command that nobody here has, as it was typed, and the one that was probably meant. */
export interface UnknownCommand {
  typed: string
  meant?: string
}

/**
 * What a text begins with that looks like a command and is none (§2, Command): no bot would answer it. `!` begins many a sentence, so
 * there only what is nearly a command counts; and where no bot has commands nothing does.
 */
export function unknownCommand(text: string): UnknownCommand | undefined {
  const [, sign, word] = /^([/!])([a-z0-9_-]{1,32})(?=\s|$)/i.exec(text) ?? []
  const names = commandsHere().map((each) => each.name)
  if (sign === undefined || word === undefined || names.length === 0 || names.includes(word)) return undefined
  const near = didYouMean(word, names)
  if (near === undefined && sign === '!') return undefined
  return { typed: sign + word, ...(near !== undefined && { meant: sign + near }) }
}

/** Told instead of sending; what was typed stays, and is sent as it is when it is sent again. */
export function UnknownCommandHint({ command, use }: { command: UnknownCommand; use: (meant: string) => void }) {
  const { typed, meant } = command
  return (
    <p class="composer-hint" role="status">
      <span>
        No command <strong>{typed}</strong>.
      </span>
      {meant !== undefined && (
        <span>
          Did you mean{' '}
          <button type="button" class="link-button" onClick={() => use(meant)}>
            {meant}
          </button>
          ?
        </span>
      )}
      <span class="composer-hint-key">Send it again to post it as it is.</span>
    </p>
  )
}
