import { useEffect, useState } from 'preact/hooks'
import type { Submission } from '../../people.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { memberName } from '../state/names.ts'
import { Confirm } from '../forms/confirm.tsx'
import { TextField } from '../forms/field.tsx'
import { Section } from '../forms/frame.tsx'
import { longTime } from '../state/time.ts'
import { attempt, showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'

const stateWords = { submitted: 'Waiting', approved: 'Approved', sent_back: 'Sent back', withdrawn: 'Withdrawn' }

type CardProps = { submission: Submission; onApprove: () => void; onSendBack: () => void }

function SubmissionCard({ submission, onApprove, onSendBack }: CardProps) {
  const { bot, owner, state } = submission
  const name = memberName(bot)
  return (
    <li class="card" aria-label={`Submission of ${name}`}>
      <div class="card-body">
        <div class="row-plain">
          <Avatar id={bot.id} name={name} url={bot.avatar_url} />
          <div class="row-text">
            <strong>
              {name} <BotTag />
            </strong>
            <p>
              @{bot.username} by @{owner.username} · {longTime(submission.created_at)}
            </p>
          </div>
          {state !== 'submitted' && (
            <span class={state === 'approved' ? 'badge badge-green' : 'badge'}>{stateWords[state]}</span>
          )}
        </div>
        <p class="submission-text">{submission.description}</p>
        {submission.reason !== null && <p class="notice">Message to the owner: {submission.reason}</p>}
      </div>
      {state === 'submitted' && (
        <footer class="card-foot">
          <span class="grow" />
          <button type="button" class="button button-secondary" aria-label={`Send back ${name}`} onClick={onSendBack}>
            Send back
          </button>
          <button type="button" class="button button-success" aria-label={`Approve ${name}`} onClick={onApprove}>
            Approve
          </button>
        </footer>
      )}
    </li>
  )
}

/** The publication review, as staff sees it. */
export function Review() {
  const [all, setAll] = useState<Submission[]>()
  const [back, setBack] = useState<Submission>()
  const [reason, setReason] = useState('')
  const load = async () => setAll((await api.submissions.list()).submissions)
  useEffect(() => {
    load().catch(showError)
  }, [])
  if (all === undefined) return null
  const waiting = all.filter((each) => each.state === 'submitted')
  const decided = all.filter((each) => each.state !== 'submitted').reverse()
  const card = (submission: Submission) => (
    <SubmissionCard
      key={submission.id}
      submission={submission}
      onSendBack={() => {
        setReason('')
        setBack(submission)
      }}
      onApprove={() =>
        void attempt(async () => {
          await api.submissions.decide({ submission_id: submission.id, approve: true })
          await load()
        })
      }
    />
  )
  return (
    <>
      <Section title="Review" description="Bots submitted for publication, oldest first.">
        {waiting.length === 0 ? (
          <p class="rows-empty">No submissions to review.</p>
        ) : (
          <ul class="cards">{waiting.map(card)}</ul>
        )}
      </Section>
      {decided.length > 0 && (
        <Section title="Decided">
          <ul class="cards">{decided.map(card)}</ul>
        </Section>
      )}
      {back && (
        <Confirm
          title={`Send ${memberName(back.bot)} back?`}
          action="Send back"
          danger={false}
          disabled={reason.trim() === ''}
          onClose={() => setBack(undefined)}
          onConfirm={async () => {
            await api.submissions.decide({ submission_id: back.id, approve: false, reason: reason.trim() })
            await load()
          }}
        >
          <TextField
            label="Reason for the owner"
            rows={3}
            value={reason}
            hint="Explain what needs to be fixed. The owner will see this."
            onInput={setReason}
            autofocus
          />
        </Confirm>
      )}
    </>
  )
}
