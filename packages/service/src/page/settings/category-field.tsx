import type { ServerView } from '../../people.ts'
import { SelectField } from '../forms/field.tsx'

interface Props {
  view: ServerView
  /** The id of the category. */
  value: string | null
  error: string | undefined
  onChange: (id: string | null) => void
}

/** The category of a channel. */
export const CategoryField = ({ view, value, error, onChange }: Props) => (
  <SelectField
    label="Category"
    value={value ?? ''}
    error={error}
    options={[{ value: '', label: 'None' }, ...view.categories.map(({ id, name }) => ({ value: id, label: name }))]}
    onChange={(id) => onChange(id === '' ? null : id)}
  />
)
