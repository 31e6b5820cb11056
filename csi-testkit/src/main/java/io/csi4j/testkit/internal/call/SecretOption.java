package io.csi4j.testkit.internal.call;

import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ExtensionLite;
import io.csi4j.proto.csi.v1.CsiProto;

/** The option with which CSI marks the fields that hold secrets (R36). */
public final class SecretOption {
    /** Of this type, because all versions of protobuf can read an option of this type. */
    private static final ExtensionLite<FieldOptions, Boolean> SECRET = CsiProto.csiSecret;

    private SecretOption() {}

    public static boolean isSet(FieldDescriptor field) {
        return field.getOptions().getExtension(SECRET);
    }
}
