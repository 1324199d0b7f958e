import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import type { PeopleMember, ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { memberName } from '../state/names.ts'
import { api } from '../state/api.ts'
import { Confirm } from '../forms/confirm.tsx'
import { SelectField, TextField } from '../forms/field.tsx'

export type ModerationAction = 'timeout' | 'kick' | 'ban'
type Props = { act: ModerationAction; view: ServerView; member: PeopleMember; onClose: () => void }

const durations = [
  { value: '1', label: '1 minute' },
  { value: '10', label: '10 minutes' },
  { value: '60', label: '1 hour' },
  { value: `${24 * 60}`, label: '1 day' },
  { value: `${7 * 24 * 60}`, label: '1 week' },
  { value: `${limits.timeout.minutes}`, label: `${limits.timeout.minutes / 60 / 24} days (maximum)` },
  { value: 'own', label: 'Other…' },
]

const words = {
  timeout: { title: (name: string) => `Time out ${name}?`, action: 'Time out' },
  kick: { title: (name: string) => `Kick ${name}?`, action: 'Kick' },
  ban: { title: (name: string) => `Ban ${name}?`, action: 'Ban' },
}

/** Dialog for duration and reason of a moderation action. */
export function MemberAction({ act, view, member, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [duration, setDuration] = useState('10')
  const [own, setOwn] = useState('30')
  const serverId = view.server.id
  const name = memberName(member)
  const minutes = Number(duration === 'own' ? own : duration)
  const wrong = !Number.isInteger(minutes) || minutes < 1 || minutes > limits.timeout.minutes
  const work = async () => {
    const who = { server_id: serverId, user_id: member.user_id }
    const why = reason.trim() === '' ? {} : { reason: reason.trim() }
    if (act === 'kick') await api.moderation.kick(who)
    if (act === 'ban') await api.moderation.ban({ ...who, ...why })
    if (act === 'timeout') await api.moderation.timeout({ ...who, minutes, ...why })
    await loadServer(serverId)
  }
  return (
    <Confirm
      title={words[act].title(name)}
      action={words[act].action}
      disabled={act === 'timeout' && wrong}
      onConfirm={work}
      onClose={onClose}
    >
      {act === 'kick' && (
        <p>Removes {name} from the server, along with their nickname and roles. They can join again.</p>
      )}
      {act === 'ban' && <p>Removes {name} from the server. They cannot join again until the ban is lifted.</p>}
      {act === 'timeout' && (
        <SelectField label="Duration" value={duration} options={durations} onChange={setDuration} />
      )}
      {act === 'timeout' && duration === 'own' && (
        <TextField
          label="Minutes"
          type="number"
          value={own}
          onInput={setOwn}
          error={wrong ? `Must be a whole number from 1 to ${limits.timeout.minutes}` : undefined}
        />
      )}
      {act !== 'kick' && (
        <TextField
          label="Reason"
          value={reason}
          onInput={setReason}
          hint={act === 'ban' ? 'Shown in the list of bans.' : 'Optional.'}
        />
      )}
    </Confirm>
  )
}
