import type { Ban } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { Avatar } from '../components/avatar.tsx'
import { shortDay } from '../state/time.ts'
import { showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Rows, Section } from '../forms/frame.tsx'

export function Bans({ view }: { view: ServerView }) {
  const serverId = view.server.id
  const [bans, setBans] = useState<Ban[]>()
  const [lifting, setLifting] = useState<Ban>()
  const load = () => api.moderation.bans({ server_id: serverId }).then((page) => setBans(page.bans))
  useEffect(() => {
    load().catch(showError)
  }, [serverId, view.members.length])
  if (bans === undefined) return null
  return (
    <Section title="Bans" description="People who cannot join this server.">
      <Rows empty="No bans. To ban a member, open their page under Members.">
        {bans.map((ban) => (
          <li key={ban.user_id} class="row">
            <Avatar id={ban.user_id} name={ban.username} />
            <div class="row-text">
              <strong>{ban.username}</strong>
              <p>
                {ban.reason ?? 'No reason given'} · {shortDay(ban.created_at)}
              </p>
            </div>
            <button
              type="button"
              class="button button-secondary"
              aria-label={`Unban ${ban.username}`}
              onClick={() => setLifting(ban)}
            >
              Unban
            </button>
          </li>
        ))}
      </Rows>
      {lifting && (
        <Confirm
          title={`Unban ${lifting.username}?`}
          action="Unban"
          danger={false}
          onClose={() => setLifting(undefined)}
          onConfirm={async () => {
            await api.moderation.unban({ server_id: serverId, user_id: lifting.user_id })
            await load()
          }}
        >
          <p>{lifting.username} will be able to join the server again.</p>
        </Confirm>
      )}
    </Section>
  )
}
