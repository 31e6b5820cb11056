package io.csi4j.core.csi;

/** The capabilities of a group controller service (R42). */
public enum GroupControllerCapability implements WireEnum {
    /** The group controller has the three RPCs for group snapshots: create, delete and get. */
    CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT(1);

    private final int number;

    GroupControllerCapability(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
