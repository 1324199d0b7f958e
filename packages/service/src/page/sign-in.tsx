import { useState } from 'preact/hooks'
import { Avatar } from './avatar.tsx'
import { signIn } from './session.ts'

const suggestions = ['ann', 'bob', 'carol']

/** Choosing a name is all there is: the service runs on this machine and knows no passwords. */
export function SignIn() {
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const enter = async (username: string) => {
    setBusy(true)
    setError(await signIn(username))
    setBusy(false)
  }
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <span class="logo" aria-hidden="true" />
        <h1>Who are you today?</h1>
        <p>Each tab can be someone else, so you can talk to yourself and your bot.</p>
        <div class="sign-in-chips" role="group" aria-label="Suggested names">
          {suggestions.map((each) => (
            <button key={each} type="button" class="person-chip" disabled={busy} onClick={() => void enter(each)}>
              <Avatar id={each} name={each} size="small" />
              {each}
            </button>
          ))}
        </div>
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() !== '') void enter(name.trim())
          }}
        >
          <input
            class="input"
            aria-label="Your name"
            placeholder="Another name"
            autocomplete="off"
            spellcheck={false}
            autofocus
            value={name}
            aria-invalid={error !== undefined}
            aria-describedby="sign-in-error"
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button button-primary" disabled={busy || name.trim() === ''}>
            Enter
          </button>
        </form>
        <p id="sign-in-error" class="form-error" role="alert">
          {error}
        </p>
      </div>
    </main>
  )
}
