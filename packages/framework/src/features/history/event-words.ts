/** The parts of an event's line. */
export interface ObservedEvent {
  type: string
  data: object
}

/** `/ping` and `ann → #general`, as far as the event contains them. `label`: what the clicked button shows. */
export function describeEvent(
  event: ObservedEvent | undefined,
  file: string,
  label?: string,
): { what: string; who: string } {
  if (!event) return { what: file, who: '' }
  const data = event.data as Record<string, unknown>
  const command =
    typeof data['command'] === 'string' ? `/${wordsOf(data['command'], file)}` : unknownCommand(event.type, data)
  const what =
    command ??
    (event.type === 'interaction'
      ? `click ${label ?? file.replace(/^(src\/)?buttons\/|\.\w+$/g, '')}`.trimEnd()
      : event.type === 'task' && typeof data['task'] === 'string'
        ? `task ${data['task']}`
        : event.type === 'route' && typeof data['route'] === 'string'
          ? data['route']
          : event.type === 'held_message'
            ? 'held message'
            : event.type)
  const person = personOf(data)
  const channel = typeof data['channel_name'] === 'string' ? `#${data['channel_name']}` : undefined
  return { what, who: [person, channel].filter((part) => part !== undefined).join(' → ') }
}

/** `/pign`: a person meant a command that the bot does not have. */
const unknownCommand = (type: string, { content }: Record<string, unknown>): string | undefined =>
  type === 'message' && typeof content === 'string' ? /^\/[\w-]{1,32}(?!\S)/.exec(content)?.[0] : undefined

/** A command's words: `queue add` of `commands/queue/add.ts`. For other files, the text as it was typed. */
function wordsOf(command: string, file: string): string {
  const [, path] = /(?:^|\/)commands\/(.+)\.\w+$/.exec(file) ?? []
  const words = path?.split('/').filter((part) => !/^\(.+\)$/.test(part)) ?? []
  return words[0] === command ? words.join(' ') : command
}

/** The name of the person who caused an event, as far as its data contains it. */
export const personOf = ({ author, username }: Record<string, unknown>): string | undefined =>
  nameOf(author) ?? nameOf(username)

/** An author is a name or an object (decisions row 5). */
function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { username, display_name } = value as { username?: unknown; display_name?: unknown }
  return [username, display_name].find((name) => typeof name === 'string')
}
