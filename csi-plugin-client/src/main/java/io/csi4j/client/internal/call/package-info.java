/** One attempt of a call over a connection, and the exception for each way in which it fails. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.call;

import org.jspecify.annotations.NullMarked;
