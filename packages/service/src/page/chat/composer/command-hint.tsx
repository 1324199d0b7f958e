import type { CommandLine } from './command-line.ts'

/** The arguments of the command that is being typed: the one at the cursor, and what the bot would refuse. */
export function CommandHint({ line }: { line: CommandLine }) {
  const { command, head, current, problem } = line
  return (
    <div class="command-hint" id="command-hint">
      <p class="command-usage">
        <code>{head}</code>{' '}
        {command.args.map((arg) => (
          <code key={arg.name} class={arg === current ? 'is-current' : arg.optional ? 'is-optional' : ''}>
            {arg.optional ? `[${arg.name}]` : arg.name}
          </code>
        ))}
        <span class="command-about">{command.description}</span>
      </p>
      {current && !problem && (
        <p>
          <strong>{current.name}</strong>: {current.expects}
          {current.default !== undefined && `, ${current.default} if omitted`}
          {current.about !== undefined && `. ${current.about}`}
        </p>
      )}
      <p class="command-problem" role="status">
        {problem}
      </p>
    </div>
  )
}
