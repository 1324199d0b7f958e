import type { Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { api } from '../state/api.ts'
import { SelectField, TextField } from '../forms/field.tsx'
import { DialogForm } from '../forms/form.tsx'
import { CategoryField } from './category-field.tsx'
import { useCall } from '../forms/problem.ts'

type Props = { view: ServerView; onClose: () => void; onMade: (channelId: string) => void }

/** Dialog that creates a channel; opens its editor afterwards, to choose who can see it. */
export function NewChannel({ view, onClose, onMade }: Props) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Channel['type']>('text')
  const [category, setCategory] = useState<string | null>(null)
  const call = useCall('name', 'kind', 'category_id')
  const make = async () => {
    const { channel } = await api.channels.create({
      server_id: view.server.id,
      name: name.trim(),
      kind,
      category_id: category,
    })
    await loadServer(view.server.id)
    onMade(channel.id)
  }
  return (
    <DialogForm
      title="New channel"
      call={call}
      action="Create channel"
      disabled={name.trim() === ''}
      onSubmit={make}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onInput={setName} error={call.at('name')} autofocus />
      <SelectField
        label="Kind"
        value={kind}
        error={call.at('kind')}
        options={[
          { value: 'text', label: 'Text' },
          { value: 'voice', label: 'Voice' },
        ]}
        onChange={(value) => setKind(value === 'voice' ? value : 'text')}
      />
      <CategoryField view={view} value={category} error={call.at('category_id')} onChange={setCategory} />
    </DialogForm>
  )
}
