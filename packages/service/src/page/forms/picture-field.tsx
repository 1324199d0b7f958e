import { useId } from 'preact/hooks'
import { Avatar } from '../components/avatar.tsx'
import { Picture, pictureTypes } from '../components/picture.tsx'
import { useCall } from './problem.ts'

interface PictureFieldProps {
  label: string
  kind: 'avatar' | 'banner'
  id: string
  name: string
  url: string | null
  maxBytes: number
  onSet: (file: File) => Promise<unknown>
  onRemove: () => Promise<unknown>
}

/** A picture field; setting and removing take effect right away. */
export function PictureField({ label, kind, id, name, url, maxBytes, onSet, onRemove }: PictureFieldProps) {
  const inputId = useId()
  const { run, busy, general } = useCall()
  const megabytes = maxBytes / 1024 / 1024
  return (
    <div class="picture-field" role="group" aria-label={label}>
      {kind === 'avatar' ? (
        <Avatar id={id} name={name} url={url} />
      ) : (
        <span class="banner-face">{url !== null && <Picture class="banner-picture" url={url} alt="" />}</span>
      )}
      <div class="row-text">
        <strong>{label}</strong>
        <p class={general === undefined ? '' : 'field-error'} aria-live="polite">
          {general ?? `PNG, JPG, GIF or WebP, up to ${megabytes} MB.`}
        </p>
      </div>
      <input
        id={inputId}
        class="visually-hidden"
        type="file"
        accept={pictureTypes.join(',')}
        aria-label={`${label}: choose an image`}
        disabled={busy}
        onChange={(event) => {
          const input = event.currentTarget
          const file = input.files?.[0]
          if (file) void run(() => onSet(file)).then(() => (input.value = ''))
        }}
      />
      <label for={inputId} class="button button-secondary" aria-hidden="true">
        {url === null ? 'Upload' : 'Change'}
      </label>
      {url !== null && (
        <button
          type="button"
          class="button button-secondary is-danger"
          aria-label={`Remove ${label.toLowerCase()}`}
          disabled={busy}
          onClick={() => void run(onRemove)}
        >
          Remove
        </button>
      )}
    </div>
  )
}
