package io.csi4j.node;

/** What a lane was about at its last turn. */
record LaneView(VolumeEntry entry, MountAction action, String lastError) {
    String waitingFor() {
        if (action instanceof MountAction.Await await) {
            return await.why().text;
        }
        return action.isCall() ? "a call to its plugin is under way" : "";
    }

    /** Why something is not done yet. */
    String reason() {
        String waiting = waitingFor().isEmpty() ? "it had no turn yet" : waitingFor();
        return lastError.isEmpty() ? waiting : waiting + "; last error: " + lastError;
    }
}
