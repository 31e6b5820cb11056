package io.csi4j.testkit.internal.call;

import com.google.protobuf.ByteString;

/** An answer that is already encoded, rightly or not. */
record RawAnswer(ByteString bytes) {}
