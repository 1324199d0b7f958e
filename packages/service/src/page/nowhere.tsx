import { overlay, servers, view } from './store.ts'

/** No channel is open: what to do first. */
export function Nowhere() {
  const none = servers.value.length === 0
  return (
    <div class="nowhere">
      <span class="logo" aria-hidden="true" />
      <h2>{none ? 'You are in no server yet' : 'Choose a channel'}</h2>
      <p>
        {none
          ? 'Join one that is already here, or make your own. Then add your bot and say /help.'
          : view.value?.channels.length === 0
            ? 'No channel of this server is open to you. Ask its owner to let you in.'
            : 'The channels of this server are on the left. Ctrl K finds any of them.'}
      </p>
      <div class="nowhere-actions">
        {none ? (
          <button type="button" class="button button-primary" onClick={() => (overlay.value = { kind: 'add-server' })}>
            Join or make a server
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
