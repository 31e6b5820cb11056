package io.csi4j.state.internal.codec;

import io.csi4j.core.volume.Sharing;

/** Keeps all values as they are, without sharing equal parts; for values that are read one at a time. */
enum NoSharing implements Sharing {
    INSTANCE;

    @Override
    public <T> T one(T value) {
        return value;
    }
}
