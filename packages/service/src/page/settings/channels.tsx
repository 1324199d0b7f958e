import type { Category, Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { channelIcon, Icon } from '../components/icons.tsx'
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

interface EditProps {
  view: ServerView
  /** Why the person cannot change channels. */
  stuck: Reason
  open: (dialog: Dialogs) => void
}

/** The buttons of a category. */
function CategoryButtons({ view, stuck, open, category }: EditProps & { category: Category }) {
  const serverId = view.server.id
  const ids = view.categories.map((each) => each.id)
  return (
    <>
      <Movers
        label={category.name}
        stuck={stuck}
        to={(step) => moved(ids, category.id, step)}
        save={async (order) => {
          await api.settings.order({ server_id: serverId, category_ids: [...order] })
          await loadServer(serverId)
        }}
      />
      <button
        type="button"
        class="action"
        aria-label={`Rename ${category.name}`}
        title={stuck ?? 'Rename'}
        disabled={stuck !== undefined}
        onClick={() => open({ rename: category })}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="action"
        aria-label={`Delete ${category.name}`}
        title={stuck ?? 'Delete'}
        disabled={stuck !== undefined}
        onClick={() => open({ remove: category })}
      >
        <Icon name="trash" />
      </button>
    </>
  )
}

type GroupProps = EditProps & { category: Category | undefined; edit: (channelId: string) => void }

/** A category with its channels; without one, the channels that have none. */
function Group({ category, edit, ...rest }: GroupProps) {
  const { view, stuck } = rest
  const serverId = view.server.id
  const inside = view.channels.filter((each) => each.category_id === (category?.id ?? null))
  const ids = inside.map((each) => each.id)
  if (category === undefined && inside.length === 0) return null
  return (
    <section class="channel-group" aria-label={category?.name ?? 'No category'}>
      <header class="channel-group-head">
        <h3>{category?.name ?? 'No category'}</h3>
        {category && <CategoryButtons category={category} {...rest} />}
      </header>
      {inside.length === 0 ? (
        <p class="rows-empty">Empty. To add a channel, edit it and choose this category.</p>
      ) : (
        <ul class="rows">
          {inside.map((each) => (
            <li key={each.id} class="row">
              <Icon name={channelIcon(each)} />
              <div class="row-text">
                <strong>{each.name}</strong>
                {traits(each) !== '' && <p>{traits(each)}</p>}
              </div>
              <Movers
                label={each.name}
                stuck={stuck}
                to={(step) => moved(ids, each.id, step)}
                save={async (order) => {
                  await api.settings.order({ server_id: serverId, channel_ids: [...order] })
                  await loadServer(serverId)
                }}
              />
              {stuck === undefined && (
                <button
                  type="button"
                  class="button button-secondary"
                  aria-label={`Edit ${each.name}`}
                  onClick={() => edit(each.id)}
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
}

type CategoryProps = { serverId: string; dialog: Exclude<Dialogs, 'channel'>; onClose: () => void }

/** The dialog that creates, renames or deletes a category. */
function CategoryDialogs({ serverId, dialog, onClose }: CategoryProps) {
  const reloadAfter = async (call: Promise<unknown>) => {
    await call
    await loadServer(serverId)
  }
  if (dialog === 'category')
    return (
      <CategoryDialog
        title="New category"
        action="Create"
        onClose={onClose}
        onSave={(name) => reloadAfter(api.channels.createCategory({ server_id: serverId, name }))}
      />
    )
  if ('rename' in dialog) {
    const { id, name: before } = dialog.rename
    return (
      <CategoryDialog
        title="Rename category"
        action="Save"
        name={before}
        onClose={onClose}
        onSave={(name) => reloadAfter(api.settings.updateCategory({ server_id: serverId, category_id: id, name }))}
      />
    )
  }
  const { id, name } = dialog.remove
  return (
    <ConfirmDeletion
      title={`Delete the category ${name}?`}
      text="Its channels stay and will have no category."
      onClose={onClose}
      onConfirm={() => reloadAfter(api.settings.deleteCategory({ server_id: serverId, category_id: id }))}
    />
  )
}

/** The channels of a server by category, and the editor of one of them. */
export function Channels({ view }: { view: ServerView }) {
  const [edited, setEdited] = useState<string>()
  const [dialog, setDialog] = useState<Dialogs>()
  const stuck = mayNot(view, 'manage_channels')
  const channel = view.channels.find((each) => each.id === edited)
  // The end of a save must not close the editor of another channel.
  const closeEditor = () => setEdited((now) => (now === edited ? undefined : now))
  if (channel) return <ChannelEditor key={edited} view={view} channel={channel} onClose={closeEditor} />
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
      {[undefined, ...view.categories].map((category) => (
        <Group key={category?.id} category={category} view={view} stuck={stuck} open={setDialog} edit={setEdited} />
      ))}
      {dialog === 'channel' && <NewChannel view={view} onClose={close} onMade={setEdited} />}
      {dialog !== undefined && dialog !== 'channel' && (
        <CategoryDialogs serverId={view.server.id} dialog={dialog} onClose={close} />
      )}
    </Section>
  )
}
