import type { Server } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../../components/plural.ts'
import { attempt } from '../../state/toasts.ts'
import { api } from '../../state/api.ts'
import { Dialog } from '../../components/dialog.tsx'
import { enterServer } from '../../session/session.ts'

/** Dialog to join an existing server or create a new one. */
export function AddServer({ onClose }: { onClose: () => void }) {
  const [others, setOthers] = useState<Server[]>([])
  const [name, setName] = useState('')
  useEffect(() => {
    void attempt(async () => setOthers((await api.servers.list()).servers.filter((each) => !each.member)))
  }, [])
  const enter = async (makeOrJoin: () => Promise<string>) => {
    const done = await attempt(async () => enterServer(await makeOrJoin()))
    if (done) onClose()
  }
  const make = async () => (await api.servers.create({ name: name.trim() })).server.id
  const join = async (id: string) => {
    await api.servers.join({ server_id: id })
    return id
  }
  return (
    <Dialog title="Add a server" onClose={onClose}>
      {others.length > 0 && (
        <ul class="join-list">
          {others.map((server) => (
            <li key={server.id}>
              <span>
                {server.name} <small>{plural(server.member_count, 'member')}</small>
              </span>
              <button type="button" class="button button-secondary" onClick={() => void enter(() => join(server.id))}>
                Join
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void enter(make)
        }}
      >
        <input
          class="input"
          aria-label="New server name"
          placeholder="New server name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button button-primary" disabled={name.trim() === ''}>
          Create
        </button>
      </form>
    </Dialog>
  )
}
