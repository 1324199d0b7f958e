import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { Confirm } from '../settings/confirm.tsx'
import { FormProblem, TextField } from '../settings/field.tsx'
import { Section } from '../settings/frame.tsx'
import { useCall } from '../settings/problem.ts'
import { developerApi } from './calls.ts'
import { loadOwnBots, reviewWords } from './own-bots.ts'

const meaning = {
  private: 'It works in your own servers. Others cannot add it.',
  submitted: 'The staff looks at it. It goes on working in your own servers.',
  approved: 'Every manager of a server finds it, and can add it.',
  sent_back: 'Mend what the reason says, and submit it again.',
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
          await developerApi.submit(bot.id, description.trim())
          await loadOwnBots()
        })
      }}
    >
      <TextField
        label="Description for the review"
        rows={4}
        value={description}
        error={at('description')}
        hint="What the bot does, for whom, and which permissions it needs."
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

/** Publication review (§3): where the bot stands, and the next step. */
export function Publication({ bot }: { bot: OwnedBot }) {
  const [asked, setAsked] = useState(false)
  const { state, reason } = bot.review
  const open = state === 'private' || state === 'sent_back'
  return (
    <Section title="Publication" description="Other servers can add the bot once the staff has approved it.">
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
            <strong>The staff says:</strong> {reason}
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
            await developerApi.withdraw(bot.id)
            await loadOwnBots()
          }}
        >
          <p>Servers that have the bot keep it; nobody else can add it until it is approved again.</p>
        </Confirm>
      )}
    </Section>
  )
}
