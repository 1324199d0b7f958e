import type { Clock } from '@botwright/clock'
import { postKey } from '../../../link/run-event.ts'
import type { RunStore } from '../stored/run-store.ts'
import type { RunScope } from './durable-services.ts'
import type { LiveRun } from './live-run.ts'

/** Lets rows lead to a run before it posts a question: its answer may arrive before the run waits. */
export function asksOf(run: LiveRun, store: RunStore, clock: Clock): Pick<RunScope, 'expects' | 'posts'> {
  const { id, replay } = run
  const asks = (key: string, write: () => Promise<void>) => {
    run.asking.add(key)
    if (!replay.replaying) replay.before(write)
  }
  return {
    expects: (key) => asks(key, () => store.expect(key, id)),
    posts: (channel_id) => asks(postKey(channel_id, id), () => store.posts(channel_id, id, clock.now())),
  }
}
