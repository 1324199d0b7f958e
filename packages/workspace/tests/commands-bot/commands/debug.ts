export const hidden = true
export default () => 'nothing to see'
