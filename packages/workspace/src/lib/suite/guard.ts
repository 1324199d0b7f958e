import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, afterEach, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    forbidden: readonly { channel: string; did: string; ending: string }[]
  }
}

// Setup of the projects that may not start everything: fails a test that starts what its project may not.
const started: string[] = []
const watchers = inject('forbidden').map(({ channel, did, ending }) => ({
  channel,
  notice: () => void started.push(`a test of this project ${did}: name the file *${ending}`),
}))

// Before the file of the test is loaded, which may start something, too.
for (const { channel, notice } of watchers) subscribe(channel, notice)
afterEach(failOnResources)
afterAll(() => {
  for (const { channel, notice } of watchers) unsubscribe(channel, notice)
  failOnResources()
})

function failOnResources(): void {
  const [first] = started.splice(0)
  if (first !== undefined) throw new Error(first)
}
