import { useEffect } from 'preact/hooks'
import type { OwnedBot, ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { memberName } from '../state/names.ts'
import { api } from '../state/api.ts'
import { Rows, Section } from '../forms/frame.tsx'
import { mayNot } from '../state/permissions.ts'
import { servers, views } from '../state/store.ts'
import { attempt, showError } from '../state/toasts.ts'

function ServerRow({ bot, view }: { bot: OwnedBot; view: ServerView }) {
  const { id, name } = view.server
  const inside = view.bots.some((each) => each.id === bot.id)
  const reason = mayNot(view, 'manage_server')
  const change = () =>
    attempt(async () => {
      await api.servers[inside ? 'removeBot' : 'addBot']({ server_id: id, bot_id: bot.id })
      await loadServer(id)
    })
  return (
    <li class="row">
      <div class="row-text">
        <strong>
          {name} {inside && <span class="badge badge-green">Added</span>}
        </strong>
        {reason !== undefined && <p>{reason}</p>}
      </div>
      <button
        type="button"
        class={inside ? 'button button-secondary is-danger' : 'button button-primary'}
        aria-label={`${inside ? 'Remove' : 'Add'} ${memberName(bot)} ${inside ? 'from' : 'to'} ${name}`}
        disabled={reason !== undefined}
        title={reason}
        onClick={() => void change()}
      >
        {inside ? 'Remove' : 'Add'}
      </button>
    </li>
  )
}

/** The person's servers, and whether the bot is in them. Owners can add their own bots right away (§5). */
export function BotServers({ bot }: { bot: OwnedBot }) {
  useEffect(() => {
    for (const { id } of servers.value) void loadServer(id).catch(showError)
  }, [servers.value.length])
  const known = servers.value.flatMap(({ id }) => views.value[id] ?? [])
  return (
    <Section title="Servers" description="Add the bot to servers that you manage. It works there right away.">
      <Rows empty="You have not joined a server. Create one with the plus button on the left of the chat.">
        {known.map((view) => (
          <ServerRow key={view.server.id} bot={bot} view={view} />
        ))}
      </Rows>
    </Section>
  )
}
