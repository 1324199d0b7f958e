import { didYouMean } from '@botwright/protocol/did-you-mean'
import { commandWords } from './completion.ts'

/** A text that no bot would answer: an unknown command, or an argument that the bot would refuse. */
export type Warning = Partial<UnknownCommand> & { problem?: string | undefined }

/** A typed command that no bot here has, and the one that was probably meant. */
export interface UnknownCommand {
  typed: string
  meant?: string
}

/**
 * Finds an unknown command at the start of a text (§2, Command): no bot would answer it. Sentences may start with `!`, so `!` words
 * count only if they resemble a command. Without any registered command, nothing counts.
 */
export function unknownCommand(text: string): UnknownCommand | undefined {
  const [, sign, word] = /^([/!])([a-z0-9_-]{1,32})(?=\s|$)/i.exec(text) ?? []
  const names = commandWords()
  if (sign === undefined || word === undefined || names.length === 0 || names.includes(word)) return undefined
  const near = didYouMean(word, names)
  if (near === undefined && sign === '!') return undefined
  return { typed: sign + word, ...(near !== undefined && { meant: sign + near }) }
}

/** Shown instead of sending. The text stays in the input; submitting it again posts it. */
export function WarningHint({ warning, use }: { warning: Warning; use: (typed: string, meant: string) => void }) {
  const { typed = '', meant = undefined, problem = undefined } = warning
  return (
    <p class="composer-hint" role="status">
      {problem === undefined ? (
        <span>
          Unknown command <strong>{typed}</strong>.
        </span>
      ) : (
        <span class="command-problem">{problem}.</span>
      )}
      {meant !== undefined && (
        <span>
          Did you mean{' '}
          <button type="button" class="link-button" onClick={() => use(typed, meant)}>
            {meant}
          </button>
          ?
        </span>
      )}
      <span class="composer-hint-key">Send again to post it anyway.</span>
    </p>
  )
}
