import type { Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { type Answer, api } from '../state/api.ts'
import { SelectField, TextField } from '../forms/field.tsx'
import { DialogForm } from '../forms/form.tsx'
import { useCall } from '../forms/problem.ts'
import { CopyLine, ShownOnce } from '../forms/secret.tsx'

type Made = Answer<typeof api.channelWebhooks.create>
type NewProps = { channels: readonly Channel[]; onClose: () => void; onMade: (made: Made) => Promise<void> }

export function NewWebhook({ channels, onClose, onMade }: NewProps) {
  const [name, setName] = useState('')
  const [channelId, setChannelId] = useState(channels[0]?.id ?? '')
  const call = useCall('name')
  return (
    <DialogForm
      title="New webhook"
      call={call}
      action="Create webhook"
      disabled={name.trim() === '' || channelId === ''}
      onSubmit={async () => onMade(await api.channelWebhooks.create({ channel_id: channelId, name: name.trim() }))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Used for posts that do not set a name."
        value={name}
        onInput={setName}
        error={call.at('name')}
        autofocus
      />
      <SelectField
        label="Channel"
        value={channelId}
        options={channels.map((each) => ({ value: each.id, label: `#${each.name}` }))}
        onChange={setChannelId}
      />
    </DialogForm>
  )
}

/** Shows the URL of a webhook once, with a command to try it. */
export function WebhookUrl({ name, url, onDone }: { name: string; url: string; onDone: () => void }) {
  const curl = `curl -X POST '${url}' \\\n  -H 'content-type: application/json' \\\n  -d '{"content": "Hello from ${name.replaceAll("'", '')}"}'`
  return (
    <div class="card card-body once" role="group" aria-label={`URL of ${name}`}>
      <ShownOnce what={`the URL of ${name}`} />
      <CopyLine label="Webhook URL" text={url} />
      <CopyLine label="Try it" text={curl} multiline />
      <div class="dialog-actions">
        <button type="button" class="button button-primary" onClick={onDone}>
          I have copied it
        </button>
      </div>
    </div>
  )
}
