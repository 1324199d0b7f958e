import type { ComponentProps } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon } from '../components/icons.tsx'
import { memberName } from '../state/names.ts'
import { goTo, route } from '../state/route.ts'
import { Missing } from '../navigation/missing.tsx'
import { Frame } from '../forms/frame.tsx'
import { person } from '../state/store.ts'
import { onStream } from '../stream/stream.ts'
import { showError } from '../state/toasts.ts'
import { BotPage } from './bot-page.tsx'
import { BotList } from './bot-list.tsx'
import { loadOwnBots, ownBots, patchPresence, shownToken } from '../state/own-bots.ts'
import { Reports } from './reports.tsx'
import { Review } from './review.tsx'

/** The Developer screen (§1): the person's bots; for staff, also the review and the reports. */
export function Developer() {
  const here = route.value
  const self = person.value
  useEffect(() => {
    const load = () => void loadOwnBots().catch(showError)
    load()
    // Review decisions are not on the stream: reload when the window gets the focus.
    addEventListener('focus', load)
    const quiet = [onStream('presence', patchPresence), onStream('bot_update', load)]
    return () => {
      removeEventListener('focus', load)
      quiet.forEach((stop) => stop())
      shownToken.value = undefined
    }
  }, [self?.id])
  if (here.screen !== 'developer' || !self) return null
  const bots = ownBots.value ?? []
  const tabs: ComponentProps<typeof Frame>['tabs'] = [
    { id: 'bots', label: 'Your bots' },
    ...bots.map((bot) => ({ id: bot.id, label: memberName(bot), nested: true })),
    ...(self.staff
      ? [
          { id: 'review', label: 'Review' },
          { id: 'reports', label: 'Reports' },
        ]
      : []),
  ]
  const bot = bots.find((each) => each.id === here.botId)
  if (here.botId !== undefined && bot === undefined) return ownBots.value && <Missing what="bot" />
  const { tab } = here
  if (tab !== undefined && !tabs.some(({ id, nested }) => id === tab && !nested)) return <Missing what="page" />
  return (
    <Frame
      title="Developer"
      subtitle={`@${self.username}`}
      tabs={tabs}
      current={bot?.id ?? tab ?? 'bots'}
      onTab={(id) =>
        goTo(
          bots.some((each) => each.id === id) ? { screen: 'developer', botId: id } : { screen: 'developer', tab: id },
        )
      }
      aside={
        <a class="frame-link" href="/developers/" target="_blank" rel="noreferrer">
          API reference <Icon name="external" size={13} />
        </a>
      }
    >
      {bot ? (
        <BotPage key={bot.id} bot={bot} />
      ) : tab === 'review' ? (
        <Review />
      ) : tab === 'reports' ? (
        <Reports />
      ) : (
        <BotList />
      )}
    </Frame>
  )
}
