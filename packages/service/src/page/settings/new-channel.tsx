import type { Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { Dialog } from '../components/dialog.tsx'
import { api } from '../state/api.ts'
import { FormProblem, SelectField, TextField } from '../forms/field.tsx'
import { useCall } from '../forms/problem.ts'

type Props = { view: ServerView; onClose: () => void; onMade: (channelId: string) => void }

/** Dialog that creates a channel; opens its editor afterwards, to choose who can see it. */
export function NewChannel({ view, onClose, onMade }: Props) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Channel['type']>('text')
  const [category, setCategory] = useState('')
  const { run, busy, at, general } = useCall('name', 'kind', 'category_id')
  const make = () =>
    run(async () => {
      const { channel } = await api.channels.create({
        server_id: view.server.id,
        name: name.trim(),
        kind,
        category_id: category === '' ? null : category,
      })
      await loadServer(view.server.id)
      onClose()
      onMade(channel.id)
    })
  return (
    <Dialog title="New channel" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <TextField label="Name" value={name} onInput={setName} error={at('name')} autofocus />
        <SelectField
          label="Kind"
          value={kind}
          error={at('kind')}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'voice', label: 'Voice' },
          ]}
          onChange={(value) => setKind(value === 'voice' ? value : 'text')}
        />
        <SelectField
          label="Category"
          value={category}
          error={at('category_id')}
          options={[
            { value: '', label: 'None' },
            ...view.categories.map((each) => ({ value: each.id, label: each.name })),
          ]}
          onChange={setCategory}
        />
        <FormProblem text={general} />
        <div class="dialog-actions">
          <button type="button" class="button button-secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={busy || name.trim() === ''}>
            Create channel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
