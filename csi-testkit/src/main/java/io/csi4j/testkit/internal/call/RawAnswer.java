package io.csi4j.testkit.internal.call;

import com.google.protobuf.ByteString;

/** An answer that is already encoded. A fault may have chosen bytes that are no valid message. */
record RawAnswer(ByteString bytes) {}
