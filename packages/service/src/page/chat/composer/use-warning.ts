import { useState } from 'preact/hooks'
import { commandLineAt } from './completion.ts'
import { unknownCommand, type Warning } from './unknown-command.tsx'

function warningOf(text: string): Warning | undefined {
  const unknown = unknownCommand(text.trim())
  if (unknown) return unknown
  // With a space, the last word is finished, too.
  const finished = `${text.trimEnd()} `
  const problem = commandLineAt(finished, finished.length)?.problem
  return problem === undefined ? undefined : { problem }
}

/** Warns once about a text that no bot would answer; sending it again posts it. */
export function useWarning(channelId: string, text: string) {
  const [shown, setShown] = useState<{ channelId: string; text: string; warning: Warning }>()
  const isShown = shown?.channelId === channelId && shown.text === text
  return {
    warning: isShown ? shown.warning : undefined,
    /** Whether the text may be sent: there is nothing to warn about, or the person was warned. */
    mayBeSent(): boolean {
      const warning = isShown ? undefined : warningOf(text)
      setShown(warning && { channelId, text, warning })
      return warning === undefined
    },
  }
}
