import { overlay, servers, view } from '../state/store.ts'

/** Shown when no channel is open: suggests what to do first. */
export function NoChannel() {
  const none = servers.value.length === 0
  return (
    <div class="nowhere">
      <span class="logo" aria-hidden="true" />
      <h2>{none ? 'You have not joined a server yet' : 'Choose a channel'}</h2>
      <p>
        {none
          ? 'Join an existing server or create your own. Then add your bot and type /help.'
          : view.value?.channels.length === 0
            ? 'You cannot see any channel of this server. Ask its owner for access.'
            : 'The channels of this server are on the left. Press Ctrl K to find one.'}
      </p>
      <div class="nowhere-actions">
        {none ? (
          <button type="button" class="button button-primary" onClick={() => (overlay.value = { kind: 'add-server' })}>
            Join or create a server
          </button>
        ) : (
          <button type="button" class="button button-secondary" onClick={() => (overlay.value = { kind: 'switcher' })}>
            Find a channel
          </button>
        )}
      </div>
    </div>
  )
}
