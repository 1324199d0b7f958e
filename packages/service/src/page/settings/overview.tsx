import { useEffect, useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { person, servers } from '../state/store.ts'
import { showError } from '../state/toasts.ts'
import { type Answer, api } from '../state/api.ts'
import { Confirm } from '../forms/confirm.tsx'
import { TextField } from '../forms/field.tsx'
import { CardForm } from '../forms/form.tsx'
import { Section } from '../forms/frame.tsx'
import { leftServer } from './left-server.ts'
import { mayNot } from '../state/permissions.ts'
import { useCall } from '../forms/problem.ts'

function Rename({ view }: { view: ServerView }) {
  const { id } = view.server
  const [name, setName] = useState(view.server.name)
  const call = useCall('name')
  const reason = mayNot(view, 'manage_server')
  const save = async () => {
    const { server } = await api.settings.rename({ server_id: id, name: name.trim() })
    servers.value = servers.value.map((each) => (each.id === id ? server : each))
    await loadServer(id)
  }
  return (
    <CardForm
      call={call}
      readOnly={reason !== undefined}
      disabled={name.trim() === '' || name.trim() === view.server.name}
      onSubmit={save}
    >
      <TextField
        label="Server name"
        value={name}
        onInput={setName}
        error={call.at('name')}
        hint={reason}
        disabled={reason !== undefined}
      />
    </CardForm>
  )
}

type Flags = Answer<typeof api.settings.get>['flags']

const flagWords = [
  {
    flag: 'bot_voice',
    label: 'Voice for bots',
    hint: 'Bots see who is in voice channels, and can move and disconnect people.',
  },
  { flag: 'channel_webhooks', label: 'Channel webhooks', hint: 'Secret URLs that post to a channel.' },
] as const

function FlagRows({ serverId }: { serverId: string }) {
  const [flags, setFlags] = useState<Flags>()
  useEffect(() => {
    api.settings.get({ server_id: serverId }).then((settings) => setFlags(settings.flags), showError)
  }, [serverId])
  return (
    <ul class="rows">
      {flagWords.map(({ flag, label, hint }) => (
        <li key={flag} class="row">
          <div class="row-text">
            <strong>{label}</strong>
            <p>{hint}</p>
          </div>
          <code class="flag-name">{flag}</code>
          {flags && <span class={flags[flag] ? 'badge badge-green' : 'badge'}>{flags[flag] ? 'On' : 'Off'}</span>}
        </li>
      ))}
    </ul>
  )
}

export function Overview({ view }: { view: ServerView }) {
  const [leaving, setLeaving] = useState(false)
  const { id, name, owner_id } = view.server
  const owns = owner_id === person.value?.id
  return (
    <>
      <Section title="Overview">
        <Rename view={view} />
      </Section>
      <Section
        title="Flags"
        description="Features that the real service offers on some servers only. The world file of this service turns them on and off."
      >
        <FlagRows serverId={id} />
      </Section>
      <Section title="Leave">
        <ul class="rows rows-danger">
          <li class="row">
            <div class="row-text">
              <strong>Leave server</strong>
              <p id="leave-note">
                {owns ? 'You own this server. The owner cannot leave it.' : 'You can rejoin unless you are banned.'}
              </p>
            </div>
            <button
              type="button"
              class="button button-danger"
              disabled={owns}
              aria-describedby="leave-note"
              onClick={() => setLeaving(true)}
            >
              Leave
            </button>
          </li>
        </ul>
      </Section>
      {leaving && (
        <Confirm
          title={`Leave ${name}?`}
          action="Leave"
          onClose={() => setLeaving(false)}
          onConfirm={async () => {
            await api.servers.leave({ server_id: id })
            leftServer(id)
          }}
        >
          <p>
            You will no longer see its channels. If you rejoin, you do not get your roles and nickname back. A timeout
            lasts.
          </p>
        </Confirm>
      )}
    </>
  )
}
