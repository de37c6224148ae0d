import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Dashboard } from '../state/dashboard.ts';
import type { DashboardState } from '../state/dashboard-state.ts';

export const DashboardContext = createContext<Dashboard | null>(null);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === null) throw new Error('the component is outside the dashboard');
  return dashboard;
}

/** One field of the state. The component is drawn again when it changes. */
export function useField<Name extends keyof DashboardState>(name: Name): DashboardState[Name] {
  const { store } = useDashboard();
  const [value, setValue] = useState(store.state[name]);
  useEffect(() => {
    const look = (): void => setValue(() => store.state[name]);
    look();
    return store.subscribe(look);
  }, [store, name]);
  return value;
}
