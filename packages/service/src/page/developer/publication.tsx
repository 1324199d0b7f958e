import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { Confirm } from '../forms/confirm.tsx'
import { FormProblem, TextField } from '../forms/field.tsx'
import { Section } from '../forms/frame.tsx'
import { useCall } from '../forms/problem.ts'
import { api } from '../state/api.ts'
import { loadOwnBots, reviewWords } from '../state/own-bots.ts'

const meaning = {
  private: 'The bot works in your own servers. Others cannot add it.',
  submitted: 'Waiting for staff review. The bot keeps working in your own servers.',
  approved: 'Anyone who manages a server can find and add the bot.',
  sent_back: 'Fix the issues below and resubmit.',
}

function Submit({ bot }: { bot: OwnedBot }) {
  const [description, setDescription] = useState('')
  const { run, busy, at, general } = useCall('description')
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(async () => {
          await api.submissions.create({ bot_id: bot.id, description: description.trim() })
          await loadOwnBots()
        })
      }}
    >
      <TextField
        label="Description for the review"
        rows={4}
        value={description}
        error={at('description')}
        hint="Describe what the bot does, who it is for, and which permissions it requires."
        onInput={setDescription}
      />
      <FormProblem text={general} />
      <div class="dialog-actions">
        <button type="submit" class="button button-primary" disabled={busy || description.trim() === ''}>
          Submit for review
        </button>
      </div>
    </form>
  )
}

/** Publication review (§3): the state of the bot, and the next step. */
export function Publication({ bot }: { bot: OwnedBot }) {
  const [asked, setAsked] = useState(false)
  const { state, reason } = bot.review
  const open = state === 'private' || state === 'sent_back'
  return (
    <Section title="Publication" description="Other servers can add the bot once staff has approved it.">
      <div class="card card-body">
        <div class="review-state">
          <span class={`badge ${reviewWords[state].tone}`}>{reviewWords[state].label}</span>
          <p>{meaning[state]}</p>
          {!open && (
            <button type="button" class="button button-secondary" onClick={() => setAsked(true)}>
              {state === 'submitted' ? 'Withdraw' : 'Make private again'}…
            </button>
          )}
        </div>
        {reason !== null && reason !== '' && (
          <blockquote class="notice notice-amber">
            <strong>Message from staff:</strong> {reason}
          </blockquote>
        )}
        {open && <Submit bot={bot} />}
      </div>
      {asked && (
        <Confirm
          title={state === 'submitted' ? 'Withdraw the submission?' : 'Make the bot private again?'}
          action={state === 'submitted' ? 'Withdraw' : 'Make private'}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await api.submissions.withdraw({ bot_id: bot.id })
            await loadOwnBots()
          }}
        >
          <p>Servers that have the bot keep it. No other server can add it until it is approved again.</p>
        </Confirm>
      )}
    </Section>
  )
}
