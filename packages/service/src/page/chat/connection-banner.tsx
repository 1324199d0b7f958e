import { Icon } from '../components/icons.tsx'
import { connection } from '../state/store.ts'
import { retryNow } from '../stream/stream.ts'

/** Shows that the connection is lost, and that it is back. */
export function ConnectionBanner() {
  const state = connection.value
  return (
    <div role="status" class={state === 'open' ? 'visually-hidden' : `connection is-${state}`}>
      {state === 'lost' && (
        <>
          <span class="spinner" aria-hidden="true" />
          <span>
            <b>Connection lost.</b> Reconnecting… What you see may be out of date.
          </span>
          <button type="button" class="link-button" onClick={retryNow}>
            Retry now
          </button>
        </>
      )}
      {state === 'restored' && (
        <>
          <Icon name="check" size={15} />
          Reconnected.
        </>
      )}
    </div>
  )
}
