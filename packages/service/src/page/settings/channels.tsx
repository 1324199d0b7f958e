import type { Category, Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { Icon } from '../components/icons.tsx'
import { attempt } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { CategoryDialog, ConfirmDeletion } from './category-dialog.tsx'
import { ChannelEditor } from './channel-editor.tsx'
import { Section } from '../forms/frame.tsx'
import { NewChannel } from './new-channel.tsx'
import { mayNot, type Reason } from '../state/permissions.ts'

type Mover = {
  label: string
  stuck: Reason
  to: (step: -1 | 1) => readonly string[] | undefined
  save: (ids: readonly string[]) => Promise<unknown>
}

/** Two buttons that move an item up or down; the order is saved right away. */
function Movers({ label, stuck, to, save }: Mover) {
  return (
    <>
      {([-1, 1] as const).map((step) => {
        const ids = to(step)
        const way = step === -1 ? 'up' : 'down'
        return (
          <button
            key={step}
            type="button"
            class="action"
            aria-label={`Move ${label} ${way}`}
            title={stuck ?? `Move ${way}`}
            disabled={stuck !== undefined || ids === undefined}
            onClick={() => void attempt(() => save(ids!))}
          >
            <Icon name={way} />
          </button>
        )
      })}
    </>
  )
}

/** The ids with one of them moved by one step, or undefined if it cannot move further. */
function moved(ids: readonly string[], id: string, step: -1 | 1): string[] | undefined {
  const from = ids.indexOf(id)
  const other = ids[from + step]
  if (other === undefined) return undefined
  return ids.map((each) => (each === id ? other : each === other ? id : each))
}

const traits = (channel: Channel): string =>
  [
    channel.type === 'voice' && 'Voice',
    channel.private && 'Private',
    channel.read_only && 'Read-only',
    channel.slowmode > 0 && `Slowmode ${channel.slowmode} s`,
  ]
    .filter(Boolean)
    .join(' · ')

type Dialogs = 'channel' | 'category' | { rename: Category } | { remove: Category }

export function Channels({ view }: { view: ServerView }) {
  const serverId = view.server.id
  const [open, setOpen] = useState<string>()
  const [dialog, setDialog] = useState<Dialogs>()
  const stuck = mayNot(view, 'manage_channels')
  const channel = view.channels.find((each) => each.id === open)
  if (channel) return <ChannelEditor key={open} view={view} channel={channel} onClose={() => setOpen(undefined)} />
  const reload = () => loadServer(serverId)
  const categoryIds = view.categories.map((each) => each.id)
  const groups: (Category | undefined)[] = [undefined, ...view.categories]
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Channels"
      description={stuck ?? 'In sidebar order.'}
      actions={
        <div class="button-pair">
          <button
            type="button"
            class="button button-secondary"
            disabled={stuck !== undefined}
            title={stuck}
            onClick={() => setDialog('category')}
          >
            New category
          </button>
          <button
            type="button"
            class="button button-primary"
            disabled={stuck !== undefined}
            title={stuck}
            onClick={() => setDialog('channel')}
          >
            New channel
          </button>
        </div>
      }
    >
      {groups.map((group) => {
        const inside = view.channels.filter((each) => each.category_id === (group?.id ?? null))
        const ids = inside.map((each) => each.id)
        if (group === undefined && inside.length === 0) return null
        return (
          <section key={group?.id} class="channel-group" aria-label={group?.name ?? 'No category'}>
            <header class="channel-group-head">
              <h3>{group?.name ?? 'No category'}</h3>
              {group && (
                <>
                  <Movers
                    label={group.name}
                    stuck={stuck}
                    to={(step) => moved(categoryIds, group.id, step)}
                    save={async (order) => {
                      await api.settings.order({ server_id: serverId, category_ids: [...order] })
                      await reload()
                    }}
                  />
                  <button
                    type="button"
                    class="action"
                    aria-label={`Rename ${group.name}`}
                    title={stuck ?? 'Rename'}
                    disabled={stuck !== undefined}
                    onClick={() => setDialog({ rename: group })}
                  >
                    <Icon name="edit" />
                  </button>
                  <button
                    type="button"
                    class="action"
                    aria-label={`Delete ${group.name}`}
                    title={stuck ?? 'Delete'}
                    disabled={stuck !== undefined}
                    onClick={() => setDialog({ remove: group })}
                  >
                    <Icon name="trash" />
                  </button>
                </>
              )}
            </header>
            {inside.length === 0 ? (
              <p class="rows-empty">Empty. To add a channel, edit it and choose this category.</p>
            ) : (
              <ul class="rows">
                {inside.map((each) => (
                  <li key={each.id} class="row">
                    <Icon name={each.type === 'voice' ? 'voice' : each.private ? 'lock' : 'hash'} />
                    <div class="row-text">
                      <strong>{each.name}</strong>
                      {traits(each) !== '' && <p>{traits(each)}</p>}
                    </div>
                    <Movers
                      label={each.name}
                      stuck={stuck}
                      to={(step) => moved(ids, each.id, step)}
                      save={async (order) => {
                        // Positions are server-wide: the other channels keep their order after these.
                        await api.settings.order({ server_id: serverId, channel_ids: [...order] })
                        await reload()
                      }}
                    />
                    {stuck === undefined && (
                      <button
                        type="button"
                        class="button button-secondary"
                        aria-label={`Edit ${each.name}`}
                        onClick={() => setOpen(each.id)}
                      >
                        Edit
                      </button>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
        )
      })}
      {dialog === 'channel' && <NewChannel view={view} onClose={close} onMade={setOpen} />}
      {dialog === 'category' && (
        <CategoryDialog
          title="New category"
          action="Create"
          onClose={close}
          onSave={async (name) => {
            await api.channels.createCategory({ server_id: serverId, name })
            await reload()
          }}
        />
      )}
      {typeof dialog === 'object' && 'rename' in dialog && (
        <CategoryDialog
          title="Rename category"
          action="Save"
          name={dialog.rename.name}
          onClose={close}
          onSave={async (name) => {
            await api.settings.updateCategory({ server_id: serverId, category_id: dialog.rename.id, name })
            await reload()
          }}
        />
      )}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <ConfirmDeletion
          title={`Delete the category ${dialog.remove.name}?`}
          text="Its channels stay and will have no category."
          onClose={close}
          onConfirm={async () => {
            await api.settings.deleteCategory({ server_id: serverId, category_id: dialog.remove.id })
            await reload()
          }}
        />
      )}
    </Section>
  )
}
