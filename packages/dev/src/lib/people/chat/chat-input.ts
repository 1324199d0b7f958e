import { BotwrightError, didYouMean } from '@botwright/protocol/facts'

/** One line of the prompt: a message, a button by its number, or a command of the chat. */
export type ChatInput =
  | { kind: 'message'; content: string }
  | { kind: 'click'; number: number }
  | { kind: ChatCommand; argument: string }

/** The commands of the chat, for `:help`. */
export const chatCommands = {
  as: ['NAME', 'continue as another person; a new name creates one'],
  in: ['CHANNEL', 'continue in another channel'],
  dm: ['[TEXT]', 'continue in direct messages with the bot, or send one text'],
  react: ['EMOJI', 'react to the newest message'],
  join: ['[SERVER]', 'join a server'],
  help: ['', 'list these commands'],
  quit: ['', 'quit; Ctrl+D does the same'],
} as const
type ChatCommand = keyof typeof chatCommands

const isCommand = (word: string): word is ChatCommand => Object.hasOwn(chatCommands, word)

/**
 * Reads a line. Commands of the chat begin with ":", because those of bots begin with "/" or "!". `::` sends a text that begins with ":".
 * Texts such as ":)" and ":smile:" are messages. Throws `ERR_CONFIG` for an unknown command.
 */
export function readInput(line: string): ChatInput | undefined {
  if (line.trim() === '') return undefined
  if (line.startsWith('::')) return { kind: 'message', content: line.slice(1) }
  const [, number] = /^:(\d{1,6})\s*$/.exec(line) ?? []
  if (number !== undefined) return { kind: 'click', number: Number(number) }
  const [, word, argument = ''] = /^:([a-z]+)(?:\s+(.*))?$/s.exec(line) ?? []
  if (word === undefined) return { kind: 'message', content: line }
  if (isCommand(word)) return { kind: word, argument: argument.trim() }
  const near = didYouMean(word, Object.keys(chatCommands))
  throw new BotwrightError(
    'ERR_CONFIG',
    `:${word} is not a chat command${near === undefined ? '' : `; did you mean :${near}?`} (:help lists them; ::${word} sends it as a message)`,
  )
}
